/** Models that classify the blocks of HTML. */
export type Model = 'static' | 'fast';

/** Rules that select the text blocks. */
export type TargetRule = 'blocks' | 'fiasco';

/** Treatments of text that readers do not see. */
export type HiddenText = 'auto' | 'report' | 'drop' | 'keep';

/** Treatments of readers' comments. */
export type ReaderComments = 'drop' | 'keep' | 'separate' | 'only';

/** Formats of the member `output`. */
export type Format =
  | 'text'
  | 'cleaneval'
  | 'markdown'
  | 'html'
  | 'json'
  | 'chunks'
  | 'xml'
  | 'tei'
  | 'vertical'
  | 'conllu'
  | 'csv';

/** Options of cleaning and writing an open page. */
export interface OpenOptions<M extends Member = UsualMember> {
  /**
   * Members of the result; by default all but `chunks`. Members that are not listed cost no time and are
   * absent, but for `warnings`, and for `output`, which the option `format` asks for.
   */
  include?: readonly M[] | undefined;
  /**
   * Counts the size of a text for `chunks` in another unit than words, such as tokens. Pages are
   * then cleaned on the calling thread.
   */
  chunkCount?: ((text: string) => number) | undefined;
  /** Cleaning method: `vclean`, the only one in this package. */
  method?: 'vclean' | undefined;
  /** Parameters of the method, each as `NAME=VALUE`. */
  parameter?: string[] | undefined;
  /** Model that classifies the blocks: `static` (the default), or `fast`, which is less exact. */
  model?: Model | undefined;
  /** Rule that selects the text blocks; by default the one that the model was trained with. */
  targets?: TargetRule | undefined;
  /**
   * Keep fewer blocks, so that at least this share of the kept blocks is content: above 0, up to 1.
   * By default a threshold is chosen for each page.
   */
  minPrecision?: number | undefined;
  /** Allow a model trained for one engine to classify pages rendered by another. */
  anyEngine?: boolean | undefined;
  /**
   * Treatment of text that readers do not see: `auto` (the default) drops it unless hardly any text
   * would be left, `report` also lists it in `warnings`, `drop` always drops it, `keep` keeps it.
   */
  hidden?: HiddenText | undefined;
  /**
   * Treatment of readers' comments: `drop` them (the default), `keep` them in the text, `separate`
   * them (see `Cleaned.comments`), or write `only` the comments.
   */
  comments?: ReaderComments | undefined;
  /** Leave the headline out. */
  noTitle?: boolean | undefined;
  /** Leave data tables out. */
  noTables?: boolean | undefined;
  /** Keep the parts of the page that these CSS selectors name, whole, and nothing else. */
  keep?: string[] | undefined;
  /** Leave out the parts of the page that these CSS selectors name. */
  drop?: string[] | undefined;
  /** Write where in the page each piece of the text comes from (format `json`). */
  positions?: boolean | undefined;
  /** Fill `reasons` of each block with the features of the largest influence. */
  explain?: boolean | undefined;
  /** Format of the member `output`. */
  format?: Format | undefined;
  /** Keep links (`markdown`, `html`, `xml` and `tei`; `json` always has them). */
  links?: boolean | undefined;
  /** Show the pictures, with their alternative text (`markdown`, `html`, `json`, `xml`, `tei`). */
  images?: boolean | undefined;
  /** Write the metadata as YAML before `markdown`, and in the head of `html`. */
  withMetadata?: boolean | undefined;
  /** Largest number of words in a chunk (`chunks`); 300 by default. */
  chunkSize?: number | undefined;
  /** Largest number of words that a chunk repeats from the one before; 0 by default. */
  chunkOverlap?: number | undefined;
}

/** Options of cleaning and writing a page: those of the `vclean` command line, in camel case. */
export interface Options<M extends Member = UsualMember> extends OpenOptions<M> {
  /**
   * Address of the page. Relative links are resolved against it; it also helps to find metadata.
   */
  url?: string | { readonly href: string } | undefined;
  /** Encoding that the server named for the page. Only for pages given as bytes. */
  charset?: string | undefined;
}

/** The members of an `AbortSignal` that this package uses. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Options of the function `clean` and of `cleanAsync`. Where no workers can be started, neither
 * `signal` nor `timeoutMs` ends a page that has begun; `signal` is then heard between two pages.
 */
export interface CallOptions<M extends Member = UsualMember> extends Options<M> {
  /** Ends the call; it then fails with the reason of the signal. */
  signal?: Signal | undefined;
  /**
   * Milliseconds after which cleaning the page fails with the code `limit`. The time begins when a
   * worker begins with the page.
   */
  timeoutMs?: number | undefined;
}

/** Options of `cleanStream`. A `signal` also ends the reading. */
export interface StreamOptions<M extends Member = UsualMember> extends CallOptions<M> {
  /** Bytes after which reading stops with the code `limit`: up to 67108864, the default. */
  maxBytes?: number | undefined;
}

/**
 * A stream of bytes: a `ReadableStream`, such as the `body` of a `Response`, or a stream of Node.
 */
export type ByteStream =
  | { readonly locked: boolean; getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(reason?: unknown): Promise<void> } }
  | AsyncIterable<Uint8Array>;

/** A feature and its influence on the decision about a block. */
export interface Reason {
  feature: string;
  /** The value that was measured for the block. */
  value: number;
  weight: number;
}

/** The kind of a block, with the properties of that kind. */
export type BlockKind =
  | { kind: 'paragraph' }
  | { kind: 'heading'; level: number }
  | { kind: 'list-item'; depth: number; number: number | null; continues: boolean; checked?: boolean }
  | { kind: 'term' }
  | { kind: 'definition'; continues: boolean }
  | { kind: 'caption'; table: number | null }
  | { kind: 'code'; language: string | null }
  | { kind: 'quote' }
  | { kind: 'table-cell'; table: number; row: number; column: number; isHeader: boolean; rowSpan?: number; columnSpan?: number }
  | { kind: 'image'; source: string; alternative: string };

/** A text block of the page, kept or not, in the order of the page. */
export interface Block {
  text: string;
  /** The kind of block; `null` for a block that is not in the text. */
  kind: BlockKind | null;
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

/** Metadata that the page declares or shows; `null` where it does neither. */
export interface Metadata {
  title: string | null;
  /** Names of the authors, with commas between them. */
  author: string | null;
  /** Date of publication, as `YYYY-MM-DD` if it can be parsed. */
  date: string | null;
  /** Language as a BCP 47 tag. */
  language: string | null;
  /** Name of the site. */
  site: string | null;
  /** Address of the page, the canonical one if the page names it. */
  url: string | null;
  description: string | null;
  /** Date of the last change, as `YYYY-MM-DD`. */
  modified: string | null;
  /** Address of the main picture. */
  image: string | null;
  /** Address of the license of the text. */
  license: string | null;
  /** Address of the next part, if the text is divided into several pages. */
  next: string | null;
  tags: string[];
  /** Sections of the site that the page is in. */
  categories: string[];
  /** Source of each value by the value's name, such as `json-ld` or `time` for `date`. */
  sources: Record<string, string>;
}

/** Roles of the posts of a thread. */
export type PostRole = 'post' | 'question' | 'answer' | 'comment';

/** A post of a thread; `null` where the page does not say it. */
export interface Post {
  role: PostRole;
  /** True for the accepted answer. */
  accepted?: boolean;
  author: string | null;
  /** The date in ISO 8601, or the age of the post as the page states it. */
  date: string | null;
  /** Address that leads to this post. */
  url: string | null;
  /** Index of the answered post, from 0. */
  parent: number | null;
  votes?: number;
  text: string;
}

/** Kinds of chunks: that of all their blocks, or `text`. */
export type ChunkKind = 'text' | 'heading' | 'list' | 'quote' | 'table' | 'code' | 'comment';

/** A piece of a text: whole sentences, rows and code, of one post only. */
export interface Chunk {
  index: number;
  text: string;
  /** The headings above it, from the outermost one. */
  headings: string[];
  kind: ChunkKind;
  words: number;
  /** Where its own text begins in the member `text`, in Unicode characters. */
  start: number;
  end: number;
  /** Number of characters at its beginning that an earlier chunk has too. */
  repeated?: number;
  /** XPath of the smallest element around it, with the option `positions`. */
  xpath?: string;
  /** Position in CSS px, for an open page with the option `positions`. */
  rect?: { x: number; y: number; width: number; height: number };
  /** Address that leads to the passage, if that of the page is known. */
  url?: string;
  /** Author and date of the post or comment. */
  author?: string;
  date?: string;
}

/** Kinds of pages that are distinguished. */
export type PageKind = 'article' | 'collection' | 'documentation' | 'forum' | 'listing' | 'product' | 'service';

/** States of a page: it has a text of its own, or the reason why not. */
export type PageState = 'text' | 'blocked' | 'consent' | 'paywall' | 'login' | 'error' | 'empty' | 'shell';

/** All members that the result of cleaning a page can have. */
export interface CleanedMembers {
  /** Plain text, one block a line. */
  text: string;
  /** Markdown (CommonMark with tables). */
  markdown: string;
  /** A small HTML document, with links and pictures if the options ask for them. */
  html: string;
  /** The text in the format of the option `format`; `null` without this option. */
  output: string | null;
  metadata: Metadata;
  /** Kind of the page, with its probability; `null` if it is unknown. */
  kind: { kind: PageKind; probability: number } | null;
  /**
   * State of the page with its probability and, unless it is `text`, the strongest evidence; `null`
   * if it is unknown.
   */
  state: { state: PageState; probability: number; reason?: string } | null;
  blocks: Block[];
  /** Readers' comments as plain text, if `comments` is `separate`. */
  comments: string;
  /** The posts of a thread, in their order; empty for other pages. */
  posts: Post[];
  /** The text in pieces for search indexes and language models; only if `include` lists it. */
  chunks: Chunk[];
  /** Expected F score of the text, 0 to 1. */
  expectedF: number;
  /** Problems that did not prevent the cleaning. */
  warnings: string[];
}

/** Names for the option `include`. */
export type Member = keyof CleanedMembers;

/** The members of a result if the option `include` is not given: all but `chunks`. */
export type UsualMember = Exclude<Member, 'chunks'>;

/**
 * The result of cleaning a page: its text, its metadata, and every block with its decision; only
 * the members that the option `include` lists, if it is given.
 */
export type Cleaned<M extends Member = UsualMember> = Pick<CleanedMembers, M | 'output' | 'warnings'>;

/** Causes of errors: an option, a file of this package (`load`), or what failed on the page. */
export type ErrorCode =
  | 'option'
  | 'load'
  | 'source'
  | 'limit'
  | 'network'
  | 'policy'
  | 'engine'
  | 'model'
  | 'output'
  | 'fault';

/**
 * The error for a page that cannot be cleaned, an invalid option, or a file that cannot be loaded.
 */
export class VcleanError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string);
}

/** The members of a `Document` of a browser that identify it. */
export interface DocumentLike {
  readonly documentElement: object | null;
  readonly defaultView: object | null;
}

/** Returns the closed shadow tree of an element, or null. */
export type ClosedRoot = (element: any) => object | null;

/** The members of a `Response` of `fetch` that this package uses. */
export interface ResponseLike {
  readonly url: string;
  readonly bodyUsed?: boolean;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `WebAssembly.Module`, which is compiled. */
export type CompiledModule = object;

/** Cleans any number of pages. Create one with `createCleaner`. */
export interface Cleaner {
  /** Cleans a page synchronously: HTML or MHTML, as text or as bytes in any encoding. */
  clean<M extends Member = UsualMember>(page: string | Uint8Array | ArrayBuffer, options?: Options<M>): Cleaned<M>;
  /**
   * Cleans a page in a worker; like the function `clean`, but its workers use the module of this
   * cleaner.
   */
  cleanAsync<M extends Member = UsualMember>(
    page: string | Uint8Array | ArrayBuffer | ResponseLike,
    options?: CallOptions<M>,
  ): Promise<Cleaned<M>>;
  /** Reads a page from a stream and cleans it; like the function `cleanStream`. */
  cleanStream<M extends Member = UsualMember>(stream: ByteStream, options?: StreamOptions<M>): Promise<Cleaned<M>>;
  /** Like the functions of the same names, but they use this cleaner and its files. */
  fromDocument(document: DocumentLike, closedRoot?: ClosedRoot): OpenPage;
  fromPlaywright(page: PlaywrightPage, taking?: Taking): Promise<OpenPage>;
  fromPuppeteer(page: PuppeteerPage, taking?: Taking): Promise<OpenPage>;
  cleanDocument<M extends Member = UsualMember>(document: DocumentLike, options?: OpenOptions<M>): Promise<Cleaned<M>>;
  captureDocument(document: DocumentLike): Promise<CaptureFiles>;
}

/** A file of this package, given as its address, its response or its bytes. */
export type Source = string | { readonly href: string } | ResponseLike | Uint8Array | ArrayBuffer;

/**
 * Loads the module and creates a cleaner. `source` is the file `vclean.wasm`, `model` the file
 * `rendered.model`, which only open pages need. By default both are loaded from beside `index.js`;
 * name them if a bundler has moved them.
 */
export function createCleaner(source?: Source | CompiledModule, model?: Source): Promise<Cleaner>;

/**
 * Cleans a page: HTML or MHTML, as text, as bytes in any encoding, or as the response of `fetch`,
 * whose address and encoding count unless the options name others. Throws a `VcleanError`.
 *
 * Several calls at once run side by side in workers and do not block the calling thread. Where no
 * workers can be started, it cleans on the calling thread.
 */
export function clean<M extends Member = UsualMember>(
  page: string | Uint8Array | ArrayBuffer | ResponseLike,
  options?: CallOptions<M>,
): Promise<Cleaned<M>>;

/**
 * Reads a page from a stream of bytes and cleans it like `clean`. Reading stops, and the stream is
 * cancelled, at `maxBytes` or when `signal` fires. The address and the encoding that a server names
 * are options: `url` and `charset`.
 */
export function cleanStream<M extends Member = UsualMember>(stream: ByteStream, options?: StreamOptions<M>): Promise<Cleaned<M>>;

/** The files of a capture by name. Store them together in one folder. */
export interface CaptureFiles {
  'capture.json': Uint8Array;
  'dom.json.gz': Uint8Array;
  'screenshot.png': Uint8Array;
  'mask.png': Uint8Array;
}

/** A snapshot of an open page; later changes of the page do not affect it. */
export interface OpenPage {
  /** Cleans the page with the model for rendered pages. */
  clean<M extends Member = UsualMember>(options?: OpenOptions<M>): Promise<Cleaned<M>>;
  /** Captures the page; `vclean clean`, `explain` and `annotate` read captures. */
  capture(): Promise<CaptureFiles>;
}

/**
 * Takes a snapshot of the page of a document, in a browser. Only extensions can provide
 * `closedRoot` (`chrome.dom.openOrClosedShadowRoot`).
 */
export function fromDocument(document: DocumentLike, closedRoot?: ClosedRoot): OpenPage;

/** How the page of a browser is taken. */
export interface Taking {
  /**
   * Longest wait for the text of the page to keep its length for half a second, in ms (3000 by
   * default). A page that still changes then is taken as it is, with a warning; 0 does not wait.
   */
  settleMs?: number;
}

/** Takes a snapshot of the page that a Playwright `Page` has open. */
export function fromPlaywright(page: PlaywrightPage, taking?: Taking): Promise<OpenPage>;

/** Takes a snapshot of the page that a Puppeteer `Page` has open. */
export function fromPuppeteer(page: PuppeteerPage, taking?: Taking): Promise<OpenPage>;

/** Cleans the page of a document, in a browser. */
export function cleanDocument<M extends Member = UsualMember>(document: DocumentLike, options?: OpenOptions<M>): Promise<Cleaned<M>>;

/** Captures the page of a document, in a browser. */
export function captureDocument(document: DocumentLike): Promise<CaptureFiles>;

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
