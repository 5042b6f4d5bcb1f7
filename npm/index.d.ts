/** Options of cleaning and writing a page: those of the `vclean` command line, in camel case. */
export interface Options {
  /**
   * Address of the page. Relative links are resolved against it; it also helps to find metadata.
   */
  url?: string;
  /** Encoding that the server named for the page. Only for pages given as bytes. */
  charset?: string;
  /** Cleaning method: `vclean`, the only one in this package. */
  method?: string;
  /** Parameters of the method, each as `NAME=VALUE`. */
  parameter?: string[];
  /** Model that classifies the blocks: `static` (the default), or `fast`, which is less exact. */
  model?: string;
  /** Rule that selects the text blocks; by default the one that the model was trained with. */
  targets?: 'blocks' | 'fiasco';
  /**
   * Keep fewer blocks, so that at least this share of the kept blocks is content: above 0, up to 1.
   * By default a threshold is chosen for each page.
   */
  minPrecision?: number;
  /** Allow a model trained for one engine to classify pages rendered by another. */
  anyEngine?: boolean;
  /**
   * Treatment of text that readers do not see: `auto` (the default) drops it unless hardly any text
   * would be left, `report` also lists it in `warnings`, `drop` always drops it, `keep` keeps it.
   */
  hidden?: 'auto' | 'report' | 'drop' | 'keep';
  /**
   * Treatment of readers' comments: `drop` them (the default), `keep` them in the text, `separate`
   * them (see `Cleaned.comments`), or write `only` the comments.
   */
  comments?: 'drop' | 'keep' | 'separate' | 'only';
  /** Leave the headline out. */
  noTitle?: boolean;
  /** Leave data tables out. */
  noTables?: boolean;
  /** Write where in the page each piece of the text comes from (format `json`). */
  positions?: boolean;
  /** Fill `reasons` of each block with the features of the largest influence. */
  explain?: boolean;
  /** Format of `output`: `text`, `markdown`, `html`, `json`, `tei` and others. */
  format?: string;
  /** Keep links (formats `markdown`, `xml` and `tei`). */
  links?: boolean;
  /**
   * Show the pictures, with their alternative text (`markdown`, `json`, `xml`, `tei`; `html` always
   * does).
   */
  images?: boolean;
  /** Write the metadata as YAML before `markdown`, and in the head of `html`. */
  withMetadata?: boolean;
}

/** A feature and its influence on the decision about a block. */
export interface Reason {
  feature: string;
  /** The value that was measured for the block. */
  value: number;
  weight: number;
}

/** A text block of the page, kept or not, in the order of the page. */
export interface Block {
  text: string;
  /**
   * The kind of block, such as a paragraph or a heading; `null` for a block that is not in the
   * text.
   */
  kind: unknown;
  isContent: boolean;
  /** True for a reader's comment, which is never content. */
  isComment: boolean;
  /**
   * Calibrated probability, 0 to 1, that the block is content. The threshold may differ from 0.5.
   */
  probability: number;
  /**
   * Calibrated probability, 0 to 1, that the block is a comment if it is not content; `null` if the
   * model does not predict comments.
   */
  commentProbability: number | null;
  /** Signed distance from the decision boundary; above 0 means content. */
  margin: number;
  /**
   * Position in CSS px from the top left corner of the page; `null` if the page was not rendered.
   */
  rect: { x: number; y: number; width: number; height: number } | null;
  /** Tags from the root to the element of the block, such as `html/body/div/p`. */
  path: string;
  /** Features with the largest influence, largest first; empty without the option `explain`. */
  reasons: Reason[];
}

/** Metadata that the page declares or shows. */
export interface Metadata {
  title?: string | null;
  /** Date of publication, as `YYYY-MM-DD` if it can be parsed. */
  date?: string | null;
  /** Source of each value by the value's name, such as `json-ld` or `time` for `date`. */
  sources?: Record<string, string>;
  [name: string]: unknown;
}

/** The result of cleaning a page: its text, its metadata, and every block with its decision. */
export interface Cleaned {
  /** Plain text, one block a line. */
  text: string;
  /** Markdown (CommonMark with tables). */
  markdown: string;
  /** A small HTML document. */
  html: string;
  /** The text in the format of the option `format`; `null` without this option. */
  output: string | null;
  metadata: Metadata;
  /** Kind of the page, such as `article`, with its probability; `null` if it is unknown. */
  kind: { kind: string; probability: number } | null;
  /**
   * `text`, or why the page has none of its own: `blocked`, `consent`, `paywall`, `login`, `error`,
   * `empty`, `shell`; with its probability and, unless it is `text`, the strongest evidence.
   */
  state: { state: string; probability: number; reason?: string } | null;
  blocks: Block[];
  /** Readers' comments as plain text, if `comments` is `separate`. */
  comments: string;
  /** Expected F score of the text, 0 to 1. */
  expectedF: number;
  /** Problems that did not prevent the cleaning. */
  warnings: string[];
}

/**
 * The error for a page that cannot be cleaned, an invalid option, or a file that cannot be loaded.
 */
export class VcleanError extends Error {
  /** Cause of the error: `option`, `load` (a file of this package), or what failed on the page. */
  readonly code: 'option' | 'load' | 'source' | 'limit' | 'network' | 'policy' | 'engine' | 'model' | 'output' | 'fault';
  constructor(code: string, message: string);
}

/** Cleans any number of pages, one after the other. Create one with `createCleaner`. */
export interface Cleaner {
  /** Cleans a page synchronously: HTML or MHTML, as text or as bytes in any encoding. */
  clean(page: string | Uint8Array | ArrayBuffer, options?: Options): Cleaned;
  /** Like the functions of the same names, but they use this cleaner and its files. */
  fromDocument(document: Document, closedRoot?: (element: Element) => ShadowRoot | null): OpenPage;
  fromPlaywright(page: PlaywrightPage): Promise<OpenPage>;
  fromPuppeteer(page: PuppeteerPage): Promise<OpenPage>;
}

/** A file of this package, given as its address, its response or its bytes. */
export type Source = URL | string | Response | Uint8Array | ArrayBuffer;

/**
 * Loads the module and creates a cleaner. `source` is the file `vclean.wasm`, `model` the file
 * `rendered.model`, which only open pages need. By default both are loaded from beside `index.js`;
 * name them if a bundler has moved them.
 */
export function createCleaner(source?: Source | WebAssembly.Module, model?: Source): Promise<Cleaner>;

/** Cleans a page: HTML or MHTML, as text or as bytes in any encoding. Throws a `VcleanError`. */
export function clean(page: string | Uint8Array | ArrayBuffer, options?: Options): Promise<Cleaned>;

/** The files of a capture by name. Store them together in one folder. */
export interface CaptureFiles {
  'capture.json': Uint8Array;
  'dom.json.gz': Uint8Array;
  'screenshot.png': Uint8Array;
  'mask.png': Uint8Array;
}

/** A snapshot of an open page; later changes of the page do not affect it. */
export interface OpenPage {
  /**
   * Cleans the page with the model for rendered pages. `url` and `charset` are refused: the page
   * has its own.
   */
  clean(options?: Options): Promise<Cleaned>;
  /** Captures the page; `vclean clean`, `explain` and `annotate` read captures. */
  capture(): Promise<CaptureFiles>;
}

/**
 * Takes a snapshot of the page of a document, in a browser. `closedRoot` returns the closed shadow
 * tree of an element; only extensions can provide it (`chrome.dom.openOrClosedShadowRoot`).
 */
export function fromDocument(document: Document, closedRoot?: (element: Element) => ShadowRoot | null): OpenPage;

/** Takes a snapshot of the page that a Playwright `Page` has open. */
export function fromPlaywright(page: PlaywrightPage): Promise<OpenPage>;

/** Takes a snapshot of the page that a Puppeteer `Page` has open. */
export function fromPuppeteer(page: PuppeteerPage): Promise<OpenPage>;

/** Cleans the page of a document, in a browser. */
export function cleanDocument(document: Document, options?: Options): Promise<Cleaned>;

/** Captures the page of a document, in a browser. */
export function captureDocument(document: Document): Promise<CaptureFiles>;

/** The methods that this package calls on a Playwright `Page`. */
export interface PlaywrightPage {
  context(): unknown;
  evaluate(expression: string): Promise<unknown>;
}

/** The methods that this package calls on a Puppeteer `Page`. */
export interface PuppeteerPage {
  browser(): unknown;
  createCDPSession(): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}
