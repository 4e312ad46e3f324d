// @vitest-environment happy-dom
/** @jsxImportSource #jsx */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Toasts } from '../ui/toasts.tsx';
import { shownProps } from './shown-props.ts';

afterEach(cleanup);

const NAME = 'photo\u202egpj.exe';
const SHOWN = 'photo\\u202egpj.exe';

it('shows characters that reorder text as their codes, in texts and names of all elements', () => {
  const { container } = render(
    <button type="button" title={NAME} aria-label={NAME}>
      {NAME} <b>{NAME}</b>
    </button>,
  );
  expect(container.innerHTML).toBe(
    `<button type="button" title="${SHOWN}" aria-label="${SHOWN}">${SHOWN} <b>${SHOWN}</b></button>`,
  );
});

it('shows them so in what libraries render', () => {
  const { container } = render(<Toasts>{NAME}</Toasts>);
  expect(container.textContent).toBe(SHOWN);
});

it('leaves the values of fields, and properties without such characters', () => {
  const { container } = render(<input defaultValue={NAME} />);
  expect(container.querySelector('input')?.value).toBe(NAME);
  const plain = { children: ['a', 3, <b key="b">c</b>], title: 'שלום' };
  expect(shownProps(plain)).toBe(plain);
});
