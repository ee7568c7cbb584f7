/** Where the tag lives: on this page, or on a page of ours in a frame of it. */

/** The tag moves between the first and the second; a clone goes to the third. */
export interface Places {
  readonly first: HTMLElement;
  readonly second: HTMLElement;
  readonly copy: HTMLElement;
  readonly document: Document;
}

export interface StageOptions {
  readonly host: HTMLElement;
  readonly isFramed: boolean;
  /** The query of the framed page. */
  readonly search: string;
  readonly lang: string;
  readonly dir: string;
  readonly css: string;
}

/** An overlay in a frame has only the frame's height. */
const SMALLEST_FRAME_PX = 620;

/** Clears the stage and sets it anew; what was on it is gone from the page afterwards. */
export async function setStage(options: StageOptions): Promise<Places> {
  const { host, isFramed, search, lang, dir, css } = options;
  host.replaceChildren();
  const page = isFramed ? await openFrame(host, search) : document;
  const root = page.createElement('div');
  root.className = 'places';
  root.lang = lang;
  root.dir = dir;
  const addPlace = (name: string): HTMLElement => {
    const place = page.createElement('div');
    place.dataset['place'] = name;
    root.append(place);
    return place;
  };
  const places = { first: addPlace('first'), second: addPlace('second'), copy: addPlace('copy') };
  (isFramed ? page.body : host).append(root);
  dress(page, css);
  return { ...places, document: page };
}

/** A style sheet made by script needs no inline style, which our policy forbids. */
function dress(page: Document, css: string): void {
  const view = page.defaultView ?? window;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(css);
  page.adoptedStyleSheets = [sheet];
}

async function openFrame(host: HTMLElement, search: string): Promise<Document> {
  const frame = document.createElement('iframe');
  frame.title = 'A page in a frame';
  frame.src = `/playground-frame${search}`;
  frame.height = String(SMALLEST_FRAME_PX);
  host.append(frame);
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
  });
  const page = frame.contentDocument;
  if (page === null) throw new Error('The frame shows no page of ours.');
  new ResizeObserver(() => {
    frame.height = String(Math.max(SMALLEST_FRAME_PX, page.body.scrollHeight));
  }).observe(page.body);
  return page;
}
