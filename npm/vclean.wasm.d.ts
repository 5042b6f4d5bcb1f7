// For bundlers and runtimes that import the file as a compiled module, such as Cloudflare's.
import type { CompiledModule } from './index.js';

declare const module: CompiledModule;
export default module;
