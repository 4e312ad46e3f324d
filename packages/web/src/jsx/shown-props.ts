import { showDirections } from '@longhaul/protocol';

/** Properties whose text is shown or read to people. */
const SHOWN = ['children', 'title', 'alt', 'aria-label', 'placeholder'] as const;

/**
 * Returns the properties of an element with their texts as they are shown: characters that reorder the text around them
 * are replaced by their codes. Texts come from models, files and other people, and such a character in a title or a
 * file name would reorder the words of the page beside it. Values of fields stay as they are. A component
 * that returns a text itself must call `showDirections`.
 */
export function shownProps<Props extends object>(props: Props): Props {
  let shown = props as Record<string, unknown>;
  for (const name of SHOWN) {
    const value = shown[name];
    if (value === undefined) continue;
    const safe = shownValue(value);
    if (safe === value) continue;
    if (shown === props) shown = { ...shown };
    shown[name] = safe;
  }
  return shown as Props;
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return showDirections(value);
  if (!Array.isArray(value)) return value;
  const shown = value.map(shownValue);
  return shown.every((each, index) => each === value[index]) ? value : shown;
}
