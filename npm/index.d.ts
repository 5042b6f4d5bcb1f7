/** How a page is cleaned and written. The names are those of the command line and of the library, in JavaScript's manner. */
export interface Options {
  /** Address of the page, for links and metadata. */
  url?: string;
  /** Encoding of the page, where its server names one; bytes only. */
  charset?: string;
  /** Cleaning method: `vclean`, the only one in this package. */
  method?: string;
  /** Parameters of the method, each as `NAME=VALUE`. */
  parameter?: string[];
  /** Model that classifies the blocks: `static`, the only one in this package. */
  model?: string;
  /** How text blocks are selected: as the model was trained unless named. */
  targets?: 'blocks' | 'fiasco';
  /** Keep fewer blocks, so that at least this share of them is content; above 0, up to 1. */
  minPrecision?: number;
  /** Allow a model trained for one engine to classify pages rendered by another. */
  anyEngine?: boolean;
  /** What becomes of text that readers of a rendered page do not see. */
  hidden?: 'auto' | 'report' | 'drop' | 'keep';
  /** What becomes of readers' comments. */
  comments?: 'drop' | 'keep' | 'separate' | 'only';
  /** Leave the headline out. */
  noTitle?: boolean;
  /** Leave data tables out. */
  noTables?: boolean;
  /** Write where each piece of text comes from (format `json`). */
  positions?: boolean;
  /** Name for each block the features with the largest influence. */
  explain?: boolean;
  /** Format of `output`: `text`, `markdown`, `html`, `json`, `tei` and others. */
  format?: string;
  /** Keep links (`markdown`, and formats in XML). */
  links?: boolean;
  /** Show the pictures between the texts. */
  images?: boolean;
  /** Write the metadata before `markdown`, and in the head of `html`. */
  withMetadata?: boolean;
}

/** A feature with its influence on a block's decision. */
export interface Reason {
  feature: string;
  value: number;
  weight: number;
}

/** A text block of the page, kept or not, in the order of the page. */
export interface Block {
  text: string;
  /** Paragraph, heading, list item and so on; `null` if it is in no text. */
  kind: unknown;
  isContent: boolean;
  isComment: boolean;
  /** Calibrated probability of content, 0 to 1. */
  probability: number;
  /** Probability, 0 to 1, that it is a reader's comment if it is not content. */
  commentProbability: number | null;
  /** Signed distance from the decision boundary; above 0 means content. */
  margin: number;
  /** Position in CSS px; `null` for a page that was not rendered. */
  rect: { x: number; y: number; width: number; height: number } | null;
  /** Tags from the root to its element, such as `html/body/div/p`. */
  path: string;
  reasons: Reason[];
}

/** What a page says of itself, as far as it does. */
export interface Metadata {
  title?: string | null;
  /** Date of publication, as `YYYY-MM-DD` if it can be read. */
  date?: string | null;
  /** Where each value comes from, by its name, such as `json-ld` or `time` for `date`. */
  sources?: Record<string, string>;
  [name: string]: unknown;
}

/** A cleaned page. */
export interface Cleaned {
  /** Plain text, one block a line. */
  text: string;
  /** Markdown (CommonMark with tables). */
  markdown: string;
  /** A small HTML document. */
  html: string;
  /** The text in `format`; `null` if none was asked for. */
  output: string | null;
  metadata: Metadata;
  /** Kind of the page, with its probability. */
  kind: { kind: string; probability: number } | null;
  blocks: Block[];
  /** Readers' comments as plain text, if `comments` is `separate`. */
  comments: string;
  /** Expected quality of the text, 0 to 1. */
  expectedF: number;
  /** Problems that did not prevent the cleaning. */
  warnings: string[];
}

/** A page that could not be cleaned, or an option that does not exist. */
export class VcleanError extends Error {
  readonly code: 'option' | 'load' | 'source' | 'limit' | 'network' | 'policy' | 'engine' | 'model' | 'output' | 'fault';
  constructor(code: string, message: string);
}

/** Cleans any number of pages, one after the other, at once. */
export interface Cleaner {
  clean(page: string | Uint8Array | ArrayBuffer, options?: Options): Cleaned;
  /** As the functions of these names, with the files that the cleaner was made of. */
  fromDocument(document: Document, closedRoot?: (element: Element) => ShadowRoot | null): OpenPage;
  fromPlaywright(page: PlaywrightPage): Promise<OpenPage>;
  fromPuppeteer(page: PuppeteerPage): Promise<OpenPage>;
}

/** What the files of the package may be given as, where a bundler has moved them. */
export type Source = URL | string | Response | Uint8Array | ArrayBuffer;

/** Loads the module; `source` is the file `vclean.wasm`, `model` the file `rendered.model`, for open pages. */
export function createCleaner(source?: Source | WebAssembly.Module, model?: Source): Promise<Cleaner>;

/** Cleans a page: HTML or MHTML, as text or as bytes in any encoding. */
export function clean(page: string | Uint8Array | ArrayBuffer, options?: Options): Promise<Cleaned>;

/** The files of a capture by name, which belong into one folder. */
export interface CaptureFiles {
  'capture.json': Uint8Array;
  'dom.json.gz': Uint8Array;
  'screenshot.png': Uint8Array;
  'mask.png': Uint8Array;
}

/** A page as it was open at a moment; later changes of the page do not reach it. */
export interface OpenPage {
  /** Cleans it with the model for rendered pages. `url` and `charset` are refused: it has its own. */
  clean(options?: Options): Promise<Cleaned>;
  /** A capture that `vclean clean`, `explain` and `annotate` read. */
  capture(): Promise<CaptureFiles>;
}

/** The page of a document, in a browser. `closedRoot` gives the closed shadow tree of an element, in extensions. */
export function fromDocument(document: Document, closedRoot?: (element: Element) => ShadowRoot | null): OpenPage;

/** The page that a `Page` of Playwright has open. */
export function fromPlaywright(page: PlaywrightPage): Promise<OpenPage>;

/** The page that a `Page` of Puppeteer has open. */
export function fromPuppeteer(page: PuppeteerPage): Promise<OpenPage>;

/** Cleans the page of a document, in a browser. */
export function cleanDocument(document: Document, options?: Options): Promise<Cleaned>;

/** A capture of the page of a document, in a browser. */
export function captureDocument(document: Document): Promise<CaptureFiles>;

/** What is used of a `Page` of Playwright. */
export interface PlaywrightPage {
  context(): unknown;
  evaluate(expression: string): Promise<unknown>;
}

/** What is used of a `Page` of Puppeteer. */
export interface PuppeteerPage {
  browser(): unknown;
  createCDPSession(): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}
