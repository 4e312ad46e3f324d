import { Copy, type LucideIcon } from 'lucide-react';
import { useAction } from '../data/use-action.ts';
import { copyText } from './copy.ts';
import { IconButton } from './icon-button.tsx';
import { useNotify } from './toasts.tsx';

/** A button that copies a text. `what` names it, such as `code`. */
export function CopyButton({
  text,
  what,
  icon = Copy,
}: {
  text: string | (() => string | Promise<string>);
  what: string;
  icon?: LucideIcon;
}) {
  const notify = useNotify();
  const [isCopying, copy] = useAction(async () => {
    await copyText(typeof text === 'string' ? text : await text());
    notify({ kind: 'good', title: `Copied the ${what}`, key: 'copied' });
  });
  return <IconButton icon={icon} label={`Copy ${what}`} disabled={isCopying} onClick={copy} />;
}
