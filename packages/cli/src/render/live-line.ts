/** A last line that is drawn over, below text that stays. */
export interface LiveLine {
  /** Writes text that stays. `isWhole`: it ends with a line, so that something may stand below it. */
  write(text: string, isWhole: boolean): void;
  /** Writes lines that stay, above a text that is being written. */
  insert(lines: string): void;
  /** Draws what is being typed below all else; undefined: nothing is. */
  setInput(input: LiveInput | undefined): void;
  /** Draws and writes nothing until the result is disposed; what is written meanwhile comes then. */
  hold(): Disposable;
  /** Removes the line for good. */
  end(): void;
}

export interface LiveInput {
  /** One line, short enough for the terminal. */
  text: string;
  /** How many columns of it stand behind the cursor. */
  columnsBehind: number;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const ERASE = '\r\u001b[K';
const UP = '\u001b[A';

/** @param status The lines at the moment. */
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
      lines.map((line) => `\u001b[2m${line}\u001b[22m`),
      held.isHeld ? undefined : input,
    );
  };
  const redraw = () => {
    const text = region.erase() + draw();
    if (text !== '') output.write(text);
  };
  const timer = setInterval(() => {
    frame += 1;
    redraw();
  }, FRAME_MS);
  timer.unref();
  const write = (text: string, isWhole: boolean) => {
    if (text === '') return;
    mayShowStatus = isWhole;
    output.write(region.erase() + region.append(text) + draw());
  };
  return {
    write: (text, isWhole) => held.pass(() => write(text, isWhole)),
    insert: (lines) => held.pass(() => void output.write(region.erase() + region.insert(lines) + draw())),
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
      output.write(region.erase() + region.endLine());
    },
  };
}

/** What is drawn below the text that stays, and how to take it away again. Its methods give what is to be written. */
function createRegion() {
  /** The line of the text that is not ended yet. */
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
    /** For whoever writes next, where a text was left in the middle of a line. */
    endLine(): string {
      const end = partial === '' ? '' : '\n';
      partial = '';
      return end;
    },
    /** Above the line that is not ended. */
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

/** Text that stays, and nothing below it. */
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
