import { escapeForTerminal, writeControls } from '../safe-terminal.ts';

/** Lines that are redrawn below permanent text. */
export interface LiveLine {
  /** Writes permanent text. `isWhole`: it ends with a line break, so that lines can be drawn below it. */
  write(text: string, isWhole: boolean): void;
  /** Writes permanent lines above the current unfinished line. */
  insert(lines: string): void;
  /** Draws the typed text below everything else; undefined removes it. */
  setInput(input: LiveInput | undefined): void;
  /** Holds all output back until the result is disposed, and writes it then. */
  hold(): Disposable;
  /** Removes the redrawn lines and stops. */
  end(): void;
}

export interface LiveInput {
  /** One line, short enough for the terminal. */
  text: string;
  /** Its columns after the cursor. */
  columnsBehind: number;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const ERASE = '\r\u001b[K';
const UP = '\u001b[A';

/** @param status Returns the current lines. */
export function createLiveLine(
  output: { write(text: string): unknown },
  status: () => readonly string[],
): LiveLine {
  const held = createHold();
  const region = createRegion();
  let frame = 0;
  let mayShowStatus = true;
  let input: LiveInput | undefined;
  const draw = () => {
    const [first, ...more] = mayShowStatus && !held.isHeld ? status() : [];
    const lines =
      first === undefined
        ? []
        : [`${FRAMES[frame % FRAMES.length]} ${first}`, ...more.map((line) => `  ${line}`)];
    return region.draw(
      lines.map((line) => `\u001b[2m${escapeForTerminal(line)}\u001b[22m`),
      held.isHeld || input === undefined ? undefined : { ...input, text: escapeForTerminal(input.text) },
    );
  };
  const redraw = () => {
    const text = region.erase() + draw();
    if (text !== '') writeControls(output, text);
  };
  const timer = setInterval(() => {
    frame += 1;
    redraw();
  }, FRAME_MS);
  timer.unref();
  const write = (text: string, isWhole: boolean) => {
    if (text === '') return;
    mayShowStatus = isWhole;
    writeControls(output, region.erase() + region.append(escapeForTerminal(text)) + draw());
  };
  return {
    write: (text, isWhole) => held.pass(() => write(text, isWhole)),
    insert: (lines) =>
      held.pass(() =>
        writeControls(output, region.erase() + region.insert(escapeForTerminal(lines)) + draw()),
      ),
    setInput(next) {
      input = next;
      redraw();
    },
    hold() {
      const release = held.hold();
      redraw();
      return release;
    },
    end() {
      clearInterval(timer);
      held.release();
      writeControls(output, region.erase() + region.endLine());
    },
  };
}

/** The redrawn lines below the permanent text. Its methods return the text to write. */
function createRegion() {
  /** The unfinished line of the permanent text. */
  let partial = '';
  let feeds = 0;
  let isDrawn = false;
  return {
    erase(): string {
      if (!isDrawn) return '';
      isDrawn = false;
      return ERASE + `${UP}${ERASE}`.repeat(feeds) + (feeds > 0 ? partial : '');
    },
    append(text: string): string {
      partial = (partial + text).slice((partial + text).lastIndexOf('\n') + 1);
      return text;
    },
    /** Ends an unfinished line, for the next output. */
    endLine(): string {
      const end = partial === '' ? '' : '\n';
      partial = '';
      return end;
    },
    /** Inserts lines above the unfinished line. */
    insert: (lines: string): string => (partial === '' ? lines : `${ERASE}${lines}${partial}`),
    draw(status: readonly string[], input: LiveInput | undefined): string {
      const lines = partial === '' ? [...status] : [];
      if (input !== undefined) lines.push(input.text);
      if (lines.length === 0) return '';
      isDrawn = true;
      const before = partial === '' ? '' : '\n';
      feeds = lines.length - 1 + before.length;
      const back = input === undefined || input.columnsBehind === 0 ? '' : `\u001b[${input.columnsBehind}D`;
      return before + lines.join('\n') + back;
    },
  };
}

/** Writes permanent text only, without redrawn lines. */
export function createPlainLine(output: { write(text: string): unknown }): LiveLine {
  const held = createHold();
  let inserted = '';
  let isAtStart = true;
  const write = (text: string, isWhole: boolean) => {
    isAtStart = isWhole;
    const all = isWhole ? text + inserted : text;
    if (isWhole) inserted = '';
    if (all !== '') output.write(all);
  };
  return {
    write: (text, isWhole) => held.pass(() => write(text, isWhole)),
    insert: (lines) =>
      held.pass(() => {
        inserted += lines;
        if (isAtStart) write('', true);
      }),
    setInput: () => undefined,
    hold: () => held.hold(),
    end() {
      held.release();
      if (inserted !== '') output.write(inserted);
    },
  };
}

function createHold() {
  let waiting: (() => void)[] | undefined;
  const release = () => {
    const writes = waiting ?? [];
    waiting = undefined;
    for (const write of writes) write();
  };
  return {
    get isHeld() {
      return waiting !== undefined;
    },
    pass: (write: () => void) => void (waiting === undefined ? write() : waiting.push(write)),
    hold: (): Disposable => {
      waiting ??= [];
      return { [Symbol.dispose]: release };
    },
    release,
  };
}
