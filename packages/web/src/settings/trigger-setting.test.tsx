// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { type ComponentProps, useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { TriggerSetting } from './trigger-setting.tsx';

afterEach(cleanup);

type Trigger = ComponentProps<typeof TriggerSetting>['trigger'];

function Saved({ saved }: { saved: Trigger[] }) {
  const [trigger, setTrigger] = useState<Trigger>(null);
  const save = (next: Trigger) => {
    saved.push(next);
    setTrigger(next);
  };
  return <TriggerSetting trigger={trigger} origin={undefined} onSave={save} />;
}

it('keeps the focus in the list and in the percent field when a change is saved', () => {
  const saved: Trigger[] = [];
  render(<Saved saved={saved} />);
  const list = screen.getByLabelText('Trigger');
  list.focus();
  fireEvent.change(list, { target: { value: 'threshold' } });
  expect(document.activeElement).toBe(list);

  const percent = screen.getByLabelText('Percent of the window');
  percent.focus();
  fireEvent.change(percent, { target: { value: '70' } });
  fireEvent.keyDown(percent, { key: 'Enter' });
  expect(document.activeElement).toBe(percent);
  expect(saved).toEqual([{ threshold: 0.8 }, { threshold: 0.7 }]);
});

it('shows a percent that was changed elsewhere, and saves no invalid one', () => {
  const saved: Trigger[] = [];
  const show = (percent: number) => (
    <TriggerSetting
      trigger={{ threshold: percent / 100 }}
      origin={undefined}
      onSave={(next) => saved.push(next)}
    />
  );
  const { rerender } = render(show(80));
  const percent = screen.getByLabelText<HTMLInputElement>('Percent of the window');
  fireEvent.change(percent, { target: { value: '170' } });
  fireEvent.blur(percent);
  rerender(show(60));
  expect([percent.value, saved]).toEqual(['60', []]);
});
