"""Small programs that end in an error; each file is one area, each public function one program."""
