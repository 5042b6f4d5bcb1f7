// Checked by the compiler without the types of browsers and of Node, and with the strictest rules;
// never run.
import { type Block, type Cleaned, type Options, VcleanError, clean, createCleaner } from 'vclean';
import model from 'vclean/rendered.model';
import module from 'vclean/vclean.wasm';

const url: string | undefined = undefined;
const options: Options = { minPrecision: 0.9, comments: 'separate', charset: url };
const cleaned: Cleaned = await clean('<p>text', { ...options, url });
const probabilities: number[] = cleaned.blocks.map((block) => block.probability);
const cleaner = await createCleaner(module, model);
const { text, warnings, output } = cleaner.clean(new Uint8Array(4), { include: ['text'] });
const strings: (string | null | undefined)[] = [text, output, ...warnings, cleaned.metadata.site, cleaned.metadata.next, ...cleaned.metadata.tags];

const levelOf = ({ kind }: Block): number => {
  switch (kind?.kind) {
    case 'heading':
      return kind.level;
    case 'table-cell':
      return (kind.rowSpan ?? 1) + kind.column;
    default:
      return 0;
  }
};
const isArticle: boolean = cleaned.kind?.kind === 'article' && cleaned.state?.state === 'text';
const [post] = (await cleaner.cleanAsync('<p>text', { timeoutMs: 10 })).posts;
const isAnswer: boolean = post?.role === 'answer' && (post.votes ?? 0) > 0 && post.author !== null;
const isLimit = (error: unknown): boolean => error instanceof VcleanError && error.code === 'limit';

// @ts-expect-error This option does not exist.
await clean('<p>text', { linkz: true });
// @ts-expect-error A page is not a number.
await clean(42);
// @ts-expect-error The synchronous function cannot be ended.
cleaner.clean('<p>text', { timeoutMs: 10 });
// @ts-expect-error There is no such format.
await clean('<p>text', { format: 'pdf' });
// @ts-expect-error The member is not included.
(await clean('<p>text', { include: ['text'] })).markdown;
// @ts-expect-error There is no such kind of page.
cleaned.kind?.kind === 'news';
// @ts-expect-error There is no such kind of block.
cleaned.blocks[0]?.kind?.kind === 'note';
throw [probabilities, strings, levelOf, isArticle, isAnswer, isLimit];
