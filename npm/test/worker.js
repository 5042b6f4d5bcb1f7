// A worker of workerd that cleans a page, as `workerd test` runs it.
import { clean, createCleaner } from 'vclean';
import model from 'vclean/rendered.model';
import module from 'vclean/vclean.wasm';

const PAGE = '<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open.</p>';

const check = (isRight, found) => {
  if (!isRight) throw new Error(`found: ${found}`);
};

export default {
  async test() {
    const cleaner = await createCleaner(module, model);
    const { text } = cleaner.clean(PAGE, { url: 'https://example.org/' });
    check(/^Gulls\nHerring gulls/.test(text), text);
    const refusal = await clean(PAGE).catch((error) => `${error.code}: ${error.message}`);
    check(/^load: .*compiled WebAssembly\.Module/.test(refusal), refusal);
  },
};
