// An index of the site, fetched.

const GZIP = 0x1f8b;

/** The JSON at an address, which may be gzipped: some servers unpack such files on the way, most do not. */
export async function table(address) {
  const response = await fetch(address).catch(() => {
    throw new Error("The index cannot be loaded: the server does not answer.");
  });
  if (!response.ok) throw new Error(`The index cannot be loaded: the server answered ${response.status}.`);
  const bytes = await response.arrayBuffer();
  if (new DataView(bytes).getUint16(0) !== GZIP) return JSON.parse(new TextDecoder().decode(bytes));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
