import { Copy } from 'lucide-react';
import { useAction } from '../data/use-action.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotify } from '../ui/toasts.tsx';
import { languageOf } from './highlight/language-names.ts';
import { Highlighted } from './highlighted.tsx';

interface CodeBlockProps {
  code: string;
  language: string;
  /** Whether the code is still being written. */
  isOpen?: boolean;
}

export function CodeBlock({ code, language, isOpen = false }: CodeBlockProps) {
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
        <Highlighted code={code} language={languageOf(name)} isOpen={isOpen} />
      </pre>
    </div>
  );
}
