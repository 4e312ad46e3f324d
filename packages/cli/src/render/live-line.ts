/** A last line that is drawn over, below text that stays. */
export interface LiveLine {
  /** Writes text that stays. `isWhole`: it ends with a line, so that something may stand below it. */
  write(text: string, isWhole: boolean): void;
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
  const erase = () => {
    const text = isDrawn ? ERASE : '';
    isDrawn = false;
    return text;
  };
  const draw = () => {
    const text = mayDraw ? status() : undefined;
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
  return {
    write(text, isWhole) {
      if (text === '') return;
      output.write(erase() + text);
      mayDraw = isWhole;
      draw();
    },
    end() {
      clearInterval(timer);
      output.write(erase());
    },
  };
}
