/** A module of Node, also in Deno and Bun; undefined elsewhere. Bundlers do not see the import. */
export const ofNode = (name) => globalThis.process?.getBuiltinModule?.(name);
