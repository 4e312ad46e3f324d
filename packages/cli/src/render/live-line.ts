/** A last line that is drawn over, below text that stays. */
export interface LiveLine {
  /** Writes text that stays. `isWhole`: it ends with a line, so that something may stand below it. */
  write(text: string, isWhole: boolean): void;
  /** Draws and writes nothing until the result is disposed; what is written meanwhile comes then. */
  hold(): Disposable;
  /** Removes the line for good. */
  end(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const ERASE = '\r\u001b[K';

/** @param status The text of the line at the moment; undefined shows none. */
export function createLiveLine(
  output: { write(text: string): unknown },
  status: () => string | undefined,
): LiveLine {
  let frame = 0;
  let isDrawn = false;
  let mayDraw = true;
  const held = createHold();
  const erase = () => {
    const text = isDrawn ? ERASE : '';
    isDrawn = false;
    return text;
  };
  const draw = () => {
    const text = mayDraw && !held.isHeld ? status() : undefined;
    const before = erase();
    isDrawn = text !== undefined;
    if (text !== undefined)
      output.write(`${before}\u001b[2m${FRAMES[frame % FRAMES.length]} ${text}\u001b[22m`);
    else if (before !== '') output.write(before);
  };
  const timer = setInterval(() => {
    frame += 1;
    draw();
  }, FRAME_MS);
  timer.unref();
  const write = (text: string, isWhole: boolean) => {
    if (text === '') return;
    output.write(erase() + text);
    mayDraw = isWhole;
    draw();
  };
  return {
    write: (text, isWhole) => held.pass(() => write(text, isWhole)),
    hold() {
      const release = held.hold();
      draw();
      return release;
    },
    end() {
      clearInterval(timer);
      held.release();
      output.write(erase());
    },
  };
}

/** Text that stays, and nothing below it. */
export function createPlainLine(output: { write(text: string): unknown }): LiveLine {
  const held = createHold();
  return {
    write: (text) => held.pass(() => void (text !== '' && output.write(text))),
    hold: () => held.hold(),
    end: () => held.release(),
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
