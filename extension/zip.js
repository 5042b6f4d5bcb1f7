// Packs files into a zip (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16), in browsers and in Node.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest >>> 0;
});

const crc32 = (bytes) => {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = TABLE[(rest ^ byte) & 255] ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
};

const numbers = (...fields) => {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
};

// Names are UTF-8. The date is the earliest that the format allows, so that equal labels give equal
// files.
const UTF_8 = 0x0800;
const FIRST_DAY = 0x21;

const DEFLATED = 8;

const deflated = async (bytes) => {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
};

/**
 * @param {[string, Uint8Array | string][]} files Names, with `/` between folders, and contents.
 * @returns {Promise<Uint8Array>}
 */
export const zip = async (files) => {
  const encoder = new TextEncoder();
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, content] of files) {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content;
    const named = encoder.encode(name);
    const packed = await deflated(bytes);
    const common = [[2, 20], [2, UTF_8], [2, DEFLATED], [2, 0], [2, FIRST_DAY], [4, crc32(bytes)], [4, packed.length], [4, bytes.length]];
    const head = numbers([4, 0x04034b50], ...common, [2, named.length], [2, 0]);
    parts.push(head, named, packed);
    const place = [[2, named.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]];
    directory.push(numbers([4, 0x02014b50], [2, 20], ...common, ...place), named);
    at += head.length + named.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = [[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]];
  const all = [...parts, ...directory, numbers(...end)];
  const packed = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of all) {
    packed.set(part, place);
    place += part.length;
  }
  return packed;
};
