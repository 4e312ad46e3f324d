import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLine, widthOf } from '../../render/format.ts';
import { type Drawn, drawFrame, eraseFrame, type Frame, nothingDrawn } from './frame.ts';

/** A real terminal, to which frames are drawn. */
class Screen {
  readonly terminal: InstanceType<typeof headless.Terminal>;
  #drawn: Drawn;

  constructor(columns: number, rows: number) {
    this.terminal = new headless.Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      scrollback: 1_000,
      reflowCursorLine: true,
    });
    this.#drawn = nothingDrawn(columns);
  }

  /** Returns the bytes that were written. */
  async draw(lines: readonly string[], { permanent = '', cursor }: Draw = {}): Promise<string> {
    const place = { permanent, columns: this.terminal.cols };
    const { text, drawn } = drawFrame(this.#drawn, { lines, cursor }, place);
    this.#drawn = drawn;
    await this.write(text);
    return text;
  }

  async erase(): Promise<void> {
    await this.write(eraseFrame(this.#drawn, this.terminal.cols));
    this.#drawn = nothingDrawn(this.terminal.cols);
  }

  resize(columns: number, rows = this.terminal.rows): void {
    this.terminal.resize(columns, rows);
  }

  async write(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.terminal.write(text, resolve));
  }

  /** Everything from the beginning of the scrollback, without empty lines at the end; broken lines are joined. */
  get text(): string {
    const { active } = this.terminal.buffer;
    let text = '';
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const next = active.getLine(row + 1);
      text += line?.translateToString(next?.isWrapped !== true) ?? '';
      if (next?.isWrapped !== true) text += '\n';
    }
    return text.replace(/\n+$/, '\n');
  }

  /** Row from the beginning of the scrollback. */
  get cursor(): { row: number; column: number } {
    const { active } = this.terminal.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }
}

interface Draw {
  permanent?: string;
  cursor?: Frame['cursor'];
}

describe('drawFrame', () => {
  it('draws the lines, with the cursor at its place', async () => {
    const screen = new Screen(40, 10);
    await screen.draw(['one', 'two', 'three'], { cursor: { row: 1, column: 2 } });
    expect(screen.text).toBe('one\ntwo\nthree\n');
    expect(screen.cursor).toEqual({ row: 1, column: 2 });
  });

  it('writes permanent lines above the frame, in the order of the calls', async () => {
    const screen = new Screen(40, 10);
    await screen.draw(['frame', '› '], { cursor: { row: 1, column: 2 } });
    await screen.draw(['frame', '› a'], { permanent: 'first\nsecond\n', cursor: { row: 1, column: 3 } });
    await screen.draw(['frame', '› ab'], { permanent: 'third\n', cursor: { row: 1, column: 4 } });
    expect(screen.text).toBe('first\nsecond\nthird\nframe\n› ab\n');
    expect(screen.cursor).toEqual({ row: 4, column: 4 });
  });

  it('writes only the lines that changed, if nothing else is printed', async () => {
    const screen = new Screen(40, 10);
    await screen.draw(['unchanged', 'a', 'also unchanged'], { cursor: { row: 1, column: 1 } });
    const text = await screen.draw(['unchanged', 'b', 'also unchanged'], { cursor: { row: 1, column: 1 } });
    expect(text).not.toContain('unchanged');
    expect(screen.text).toBe('unchanged\nb\nalso unchanged\n');
  });

  it('erases all of a longer frame or line', async () => {
    const screen = new Screen(40, 10);
    await screen.draw(['a long line', 'two', 'three'], { cursor: { row: 2, column: 0 } });
    await screen.draw(['short', 'two', 'three'], { cursor: { row: 0, column: 0 } });
    expect(screen.text).toBe('short\ntwo\nthree\n');
    await screen.draw(['one'], { cursor: { row: 0, column: 3 } });
    expect(screen.text).toBe('one\n');
    expect(screen.cursor).toEqual({ row: 0, column: 3 });
  });

  it('keeps all permanent text in the scrollback, without lines of a frame between it', async () => {
    const screen = new Screen(30, 6);
    const printed = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
    for (const permanent of printed)
      await screen.draw(['working', '› text', 'status'], { permanent, cursor: { row: 1, column: 6 } });
    expect(screen.text).toBe(`${printed.join('')}working\n› text\nstatus\n`);
  });

  it('prints a long text at once without losing a line', async () => {
    const screen = new Screen(30, 6);
    await screen.draw(['a', 'b'], { cursor: { row: 0, column: 1 } });
    const permanent = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join('');
    await screen.draw(['a', 'b'], { permanent, cursor: { row: 0, column: 1 } });
    expect(screen.text).toBe(`${permanent}a\nb\n`);
  });

  it('draws over broken lines after the terminal became narrower', async () => {
    const screen = new Screen(40, 12);
    await screen.draw(['x'.repeat(39), 'y'.repeat(25), '› hello'], {
      permanent: 'kept\n',
      cursor: { row: 2, column: 7 },
    });
    screen.resize(15);
    await screen.draw(['x'.repeat(14), 'y'.repeat(14), '› hello'], { cursor: { row: 2, column: 7 } });
    expect(screen.text).toBe(`kept\n${'x'.repeat(14)}\n${'y'.repeat(14)}\n› hello\n`);
  });

  it('draws over the lines after the terminal became wider', async () => {
    const screen = new Screen(20, 12);
    await screen.draw(['x'.repeat(19), '› hello'], { permanent: 'kept\n', cursor: { row: 1, column: 7 } });
    screen.resize(60);
    await screen.draw(['x'.repeat(59), '› hello'], { cursor: { row: 1, column: 7 } });
    expect(screen.text).toBe(`kept\n${'x'.repeat(59)}\n› hello\n`);
  });

  it('counts characters that are two columns wide', async () => {
    const screen = new Screen(40, 12);
    await screen.draw(['日本語'.repeat(6), '› 日本'], { permanent: '漢字\n', cursor: { row: 1, column: 6 } });
    expect(screen.cursor).toEqual({ row: 2, column: 6 });
    screen.resize(15);
    await screen.draw(['日本語日', '› 日本'], { cursor: { row: 1, column: 6 } });
    expect(screen.text).toBe('漢字\n日本語日\n› 日本\n');
  });

  it('hides the cursor of a frame without one, and shows it again', async () => {
    const screen = new Screen(40, 12);
    expect(await screen.draw(['a'])).not.toContain('\u001b[?25h');
    expect(await screen.draw(['a'], { cursor: { row: 0, column: 0 } })).toContain('\u001b[?25h');
  });

  it('shows a whole frame at once in terminals with synchronized output', async () => {
    const screen = new Screen(40, 12);
    const text = await screen.draw(['a'], { permanent: 'b\n' });
    expect(text.startsWith('\u001b[?2026h')).toBe(true);
    expect(text.endsWith('\u001b[?2026l')).toBe(true);
  });

  it('never clears the terminal or its scrollback', async () => {
    const screen = new Screen(40, 12);
    await screen.draw(['a', 'b']);
    screen.resize(20);
    const text = await screen.draw(['a', 'b'], { permanent: 'c\n' });
    expect(text).not.toMatch(/\u001b\[[123]J/);
  });
});

describe('eraseFrame', () => {
  it('removes only the frame, so that the next output begins in its place', async () => {
    const screen = new Screen(40, 12);
    await screen.draw(['working', '› text'], { permanent: 'kept\n', cursor: { row: 0, column: 4 } });
    await screen.erase();
    await screen.write('$ ');
    expect(screen.text).toBe('kept\n$ \n');
  });
});

const WORD = fc.constantFrom('a', 'word', '日本', 'naïve', '…', 'x'.repeat(9), '漢字漢字漢');
const TEXT = fc.array(WORD, { maxLength: 12 }).map((words) => words.join(' '));

const STEP = fc.record({
  printed: fc.array(TEXT, { maxLength: 6 }),
  lines: fc.array(TEXT, { minLength: 1, maxLength: 5 }),
  columns: fc.option(fc.integer({ min: 11, max: 60 }), { nil: undefined }),
});

describe('random frames', () => {
  it('always leaves the permanent text and the last frame, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 20 }), async (steps) => {
        const screen = new Screen(40, 40);
        let printed = '';
        let last: readonly string[] = [];
        for (const step of steps) {
          if (step.columns !== undefined) screen.resize(step.columns);
          const fit = (text: string) => cutLine(text, screen.terminal.cols - 1);
          const permanent = step.printed.map((line) => `${fit(line)}\n`).join('');
          last = step.lines.map(fit);
          // When this terminal breaks a line, it moves a cursor that is not below it to a wrong row.
          const row = last.length - 1;
          const column = widthOf(last[row] ?? '');
          await screen.draw(last, { permanent, cursor: { row, column } });
          printed += permanent;
        }
        expect(withoutBlanks(screen.text)).toBe(withoutBlanks(`${printed}${last.join('\n')}`));
      }),
      { numRuns: 100 },
    );
  });
});

/** A wide character that does not fit into the last column leaves a blank there. */
function withoutBlanks(text: string): string {
  return text.replaceAll(' ', '').trimEnd();
}
