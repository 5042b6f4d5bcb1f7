// Checked by the compiler, never run.
import { type Page as PlaywrightPage } from 'playwright-core';
import { type Page as PuppeteerPage } from 'puppeteer-core';
import { type Cleaned, type Cleaner, VcleanError, clean, cleanDocument, cleanStream, createCleaner, fromDocument, fromPlaywright, fromPuppeteer } from 'vclean';

const cleaned: Cleaned = await clean(await fetch('https://example.org/'), { signal: AbortSignal.timeout(10), timeoutMs: 10 });
const streamed: string = (await cleanStream((await fetch('https://example.org/')).body!, { maxBytes: 1000 })).text;
const url = new URL('https://example.org/');
const cleaner: Cleaner = await createCleaner(new WebAssembly.Module(new Uint8Array()), await fetch(url));
const text: string = (await createCleaner(url, url)).clean(new Uint8Array(4), { url }).text;
declare const [one, other]: [PlaywrightPage, PuppeteerPage];
const mask: Uint8Array = (await (await fromPlaywright(one)).capture())['mask.png'];
const markdown: string = (await (await fromPuppeteer(other)).clean({ links: true })).markdown;
const seen: Cleaned[] = [await cleanDocument(document), await cleaner.fromDocument(document).clean(), await cleaner.cleanDocument(document)];
fromDocument(document, (element: Element): ShadowRoot | null => element.shadowRoot);
throw [new VcleanError('source', text), streamed, cleaned, mask, markdown, seen];
