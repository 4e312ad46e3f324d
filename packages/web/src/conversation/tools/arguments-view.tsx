import type { JsonValue } from '@longhaul/protocol';
import { TextOutput } from './text-output.tsx';

/** Arguments of any shape, as JSON. */
export function ArgumentsView({ value, text }: { value: JsonValue; text?: string | undefined }) {
  const shown = text ?? JSON.stringify(value, null, 2) ?? '';
  if (shown === '{}') return null;
  return (
    <div className="tool-arguments">
      <TextOutput text={shown} />
    </div>
  );
}
