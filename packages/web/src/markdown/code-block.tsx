import { Copy } from 'lucide-react';
import { useAction } from '../data/use-action.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotify } from '../ui/toasts.tsx';
import { Highlighted } from './highlighted.tsx';

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const notify = useNotify();
  const [, copy] = useAction(async () => {
    await navigator.clipboard.writeText(code);
    notify({ kind: 'good', title: 'Code copied', key: 'copied' });
  });
  const name = /^[\w+#.-]*/.exec(language.trim())?.[0] ?? '';
  return (
    <div className="code-block">
      <div className="code-head quiet">
        <span>{name}</span>
        <IconButton icon={Copy} label="Copy code" onClick={copy} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide code is scrolled with the keyboard */}
      <pre tabIndex={0}>
        <Highlighted code={code} language={name} />
      </pre>
    </div>
  );
}
