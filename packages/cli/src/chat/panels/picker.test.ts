import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { Picker, type PickerOptions } from './picker.ts';

const ITEMS = [
  { value: 'no', label: 'No, change nothing' },
  { value: 'force', label: 'Overwrite these files too', description: '/unrevert brings them back' },
];

/** A picker, and what was chosen. */
function open(options: Partial<PickerOptions<string>> = {}) {
  const chosen: (string | undefined)[] = [];
  const picker = new Picker({
    title: 'Go back anyway?',
    items: ITEMS,
    paint: createPaint(false),
    onChange: () => undefined,
    onDone: (value) => void chosen.push(value),
    ...options,
  });
  const type = (text: string) => {
    for (const key of text) picker.handleInput(key);
  };
  const shown = () => stripVTControlCharacters(picker.render(80).join('\n'));
  return { type, shown, chosen };
}

it('narrows a list by the words of its labels, and not by their descriptions', () => {
  const { type, shown, chosen } = open();
  type('back');
  expect(shown()).not.toContain('Overwrite');
  type('\r');
  expect(chosen).toEqual([]);
});

it('finds words of descriptions where they name something of an item', () => {
  const { type, chosen } = open({ findsInDescriptions: true });
  type('back\r');
  expect(chosen).toEqual(['force']);
});
