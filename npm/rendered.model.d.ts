// For bundlers and runtimes that import the file as its bytes, such as Cloudflare's.
declare const model: ArrayBuffer;
export default model;
