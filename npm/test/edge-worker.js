// A worker for Cloudflare, as users write it: cleans the page that it is sent, while it is read.
import { createCleaner } from 'vclean';
import module from 'vclean/vclean.wasm';

let cleaner;

export default {
  async fetch(request) {
    cleaner ??= createCleaner(module);
    const { searchParams } = new URL(request.url);
    const maxBytes = Number(searchParams.get('max')) || undefined;
    const signal = searchParams.has('late') ? AbortSignal.timeout(100) : undefined;
    try {
      const page = await (await cleaner).cleanStream(request.body, { include: ['markdown', 'metadata'], maxBytes, signal });
      return Response.json(page);
    } catch ({ name, code, message }) {
      return Response.json({ name, code, message }, { status: 422 });
    }
  },
};
