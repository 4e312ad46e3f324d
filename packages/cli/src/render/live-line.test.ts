import { describe, expect, it } from 'vitest';
import { type Key, LineEditor } from './line-editor.ts';
import { createLiveLine, createPlainLine } from './live-line.ts';

/** As much of a terminal as is used here: what a person sees at the end. */
class Screen {
  #lines = [''];
  #row = 0;
  #column = 0;

  write(text: string): void {
    for (const [piece] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|[\s\S]/g)) this.#take(piece);
  }

  get lines(): string[] {
    return this.#lines;
  }

  get cursor(): [row: number, column: number] {
    return [this.#row, this.#column];
  }

  #take(piece: string): void {
    if (piece === '\n') this.#row += 1;
    if (piece === '\n' || piece === '\r') this.#column = 0;
    else if (piece.endsWith('A')) this.#row -= Number(piece.slice(2, -1) || 1);
    else if (piece.endsWith('D')) this.#column -= Number(piece.slice(2, -1));
    else if (piece.endsWith('K'))
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    else if (piece.startsWith('\u001b')) return;
    else this.#put(piece);
    this.#lines[this.#row] ??= '';
  }

  #put(character: string): void {
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1);
    this.#column += 1;
  }
}

function typed(editor: LineEditor, text: string): void {
  for (const sequence of text) editor.press({ sequence });
}

const key = (name: string, more: Partial<Key> = {}): Key => ({ name, ...more });

describe('the lines below the output', () => {
  it('show the activity below whole lines, and disappear when a line begins and at the end', () => {
    const screen = new Screen();
    const live = createLiveLine(screen, () => ['busy']);
    live.write('whole\n', true);
    expect(screen.lines).toEqual(['whole', expect.stringMatching(/^. busy$/)]);
    live.write('half', false);
    expect(screen.lines).toEqual(['whole', 'half']);
    live.write(' a line\n', true);
    live.end();
    expect(screen.lines).toEqual(['whole', 'half a line', '']);
  });

  it('keep typed text below streaming text, and inserted lines above it', () => {
    const screen = new Screen();
    const live = createLiveLine(screen, () => ['busy']);
    const editor = new LineEditor();
    live.write('The model ', false);
    for (const letter of 'tabs') {
      typed(editor, letter);
      live.setInput(editor.draw(40));
      live.write(`says ${letter} `, false);
    }
    expect(screen.lines).toEqual(['The model says t says a says b says s ', '› tabs']);
    live.insert('▸ queued a message\n');
    live.write('and goes on\n', true);
    expect(screen.lines).toEqual([
      '▸ queued a message',
      'The model says t says a says b says s and goes on',
      expect.stringMatching(/^. busy$/),
      '› tabs',
    ]);
    expect(screen.cursor).toEqual([3, 6]);
    live.setInput(undefined);
    live.end();
    expect(screen.lines.slice(0, 2)).toHaveLength(2);
    expect(screen.lines.slice(2).join('')).toBe('');
  });

  it('leave the terminal to a question, and write held output afterwards', () => {
    const screen = new Screen();
    const live = createLiveLine(screen, () => ['busy']);
    live.write('before\n', true);
    const held = live.hold();
    screen.write('? yes\n');
    live.write('after\n', true);
    live.insert('aside\n');
    expect(screen.lines).toEqual(['before', '? yes', '']);
    held[Symbol.dispose]();
    live.end();
    expect(screen.lines.slice(0, 4)).toEqual(['before', '? yes', 'after', 'aside']);
  });

  it('wait for the end of the line in a pipe', () => {
    const screen = new Screen();
    const plain = createPlainLine(screen);
    plain.write('half ', false);
    plain.insert('aside\n');
    plain.write('a line\n', true);
    plain.insert('another\n');
    plain.end();
    expect(screen.lines).toEqual(['half a line', 'aside', 'another', '']);
  });
});

describe('the line that is typed', () => {
  it('is edited as in a shell', () => {
    const editor = new LineEditor();
    typed(editor, 'use tbs');
    editor.press(key('left'));
    editor.press(key('left'));
    typed(editor, 'a');
    expect(editor.draw(40)).toEqual({ text: '› use tabs', columnsBehind: 2 });
    editor.press(key('end'));
    editor.press(key('w', { ctrl: true }));
    typed(editor, 'spaces!');
    editor.press(key('backspace'));
    expect(editor.text).toBe('use spaces');
    editor.press(key('home'));
    editor.press(key('delete'));
    editor.press(key('up'));
    editor.press(key('f5', { sequence: '\u001b[15~' }));
    expect(editor.text).toBe('se spaces');
    expect(editor.press(key('return'))).toBe(true);
    editor.press(key('k', { ctrl: true }));
    expect(editor.draw(40)).toBeUndefined();
  });

  it('shows its end if it is too long, counts wide characters, and shows pasted line breaks as signs', () => {
    const editor = new LineEditor();
    typed(editor, '修改配置文件并运行测试');
    expect(editor.draw(12)).toEqual({ text: '› 运行测试', columnsBehind: 0 });
    editor.clear();
    editor.press(key('paste-start'));
    typed(editor, 'one');
    expect(editor.press(key('return'))).toBe(false);
    typed(editor, 'two\u0007');
    editor.press(key('paste-end'));
    expect(editor.text).toBe('one\ntwo');
    expect(editor.draw(40)?.text).toBe('› one⏎two');
  });
});
