// Checked by the compiler, never run.
import { type Cleaned, VcleanError, clean, createCleaner } from 'vclean';

const cleaned: Cleaned = await clean('<p>text', { minPrecision: 0.9, comments: 'separate' });
const probabilities: number[] = cleaned.blocks.map((block) => block.probability);
const cleaner = await createCleaner();
const text: string = cleaner.clean(new Uint8Array(4)).text;
const error: Error = new VcleanError('page', text + probabilities.length);
// @ts-expect-error There is no such option.
await clean('<p>text', { linkz: true });
// @ts-expect-error A page is no number.
await clean(42);
throw error;
