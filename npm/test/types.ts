// Checked by the compiler, never run.
import { type Page as PlaywrightPage } from 'playwright-core';
import { type Page as PuppeteerPage } from 'puppeteer-core';
import { type Cleaned, VcleanError, clean, cleanDocument, createCleaner, fromPlaywright, fromPuppeteer } from 'vclean';

const cleaned: Cleaned = await clean('<p>text', { minPrecision: 0.9, comments: 'separate' });
const probabilities: number[] = cleaned.blocks.map((block) => block.probability);
const cleaner = await createCleaner();
const text: string = cleaner.clean(new Uint8Array(4)).text;
const error: Error = new VcleanError('source', text + probabilities.length);
declare const [one, other]: [PlaywrightPage, PuppeteerPage];
const mask: Uint8Array = (await (await fromPlaywright(one)).capture())['mask.png'];
const markdown: string = (await (await fromPuppeteer(other)).clean({ links: true })).markdown;
const seen: Cleaned[] = [await cleanDocument(document), await cleaner.fromDocument(document).clean()];
// @ts-expect-error This option does not exist.
await clean('<p>text', { linkz: true });
// @ts-expect-error A page is not a number.
await clean(42);
throw [error, mask, markdown, seen];
