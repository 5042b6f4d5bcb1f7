// A CommonJS program in TypeScript; checked as `plain.ts` is.
import vclean = require('vclean');

const text: Promise<string> = vclean.clean('<p>text', { links: true }).then((cleaned) => cleaned.text);
throw [text];
