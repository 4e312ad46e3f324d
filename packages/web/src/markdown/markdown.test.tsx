// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Toasts } from '../ui/toasts.tsx';
import { Markdown } from './markdown.tsx';

afterEach(cleanup);

function rendered(text: string): HTMLElement {
  return render(
    <Toasts>
      <Markdown text={text} isRunning={false} />
    </Toasts>,
  ).container;
}

describe('Markdown', () => {
  it('renders the blocks of an answer', () => {
    const page = rendered(
      '# Title\n\nSome **bold** `code`.\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |',
    );
    expect(page.querySelector('h2')?.textContent).toBe('Title');
    expect(page.querySelector('strong')?.textContent).toBe('bold');
    expect([...page.querySelectorAll('li')].map((item) => item.textContent)).toEqual(['one', 'two']);
    expect([...page.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['1', '2']);
  });

  it.each(['- [x] done\n- [ ] open', '- [x] done\n\n- [ ] open'])(
    'shows the boxes of a task list: %j',
    (text) => {
      const page = rendered(text);
      expect([...page.querySelectorAll('li')].map((item) => item.textContent?.trim())).toEqual([
        'done',
        'open',
      ]);
      expect([...page.querySelectorAll('input')].map(({ checked }) => checked)).toEqual([true, false]);
    },
  );

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><a href="javascript:alert(1)">x</a></svg>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    'text <b onclick="alert(1)">bold</b> text',
    '<style>body{display:none}</style>',
    '> <form action=//evil><input name=a></form>',
    '<details open ontoggle=alert(1)>',
    '<math><mtext><img src=x onerror=alert(1)></mtext></math>',
  ])('shows HTML as text: %s', (text) => {
    const page = rendered(text);
    expect(
      page.querySelectorAll(
        'script, img, svg a, iframe, b, style, form, input, details, math, [onload], [onerror]',
      ),
    ).toHaveLength(0);
    expect(page.textContent?.replace(/\s/g, '')).toContain(text.replace(/^> /, '').replace(/\s/g, ''));
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x]( java\tscript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:msgbox)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example/a)',
    '[x](#/settings)',
    '![x](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[x][1]\n\n[1]: javascript:alert(1)',
  ])('makes no link of %s', (text) => {
    expect(rendered(text).querySelectorAll('a, img')).toHaveLength(0);
  });

  it('opens web addresses in a new tab that knows nothing of this one', () => {
    const [link] = rendered('[docs](https://example.com/a?b=1)').querySelectorAll('a');
    expect(link?.href).toBe('https://example.com/a?b=1');
    expect(link?.target).toBe('_blank');
    expect(link?.rel).toContain('noopener');
  });

  it('loads no picture that a text names', () => {
    const page = rendered('![secret](https://evil.example/?data=1)');
    expect(page.querySelector('img')).toBeNull();
    expect(page.querySelector('a')?.textContent).toBe('secret');
  });
});
