import { CopyButton } from '../ui/copy-button.tsx';
import { languageOf } from './highlight/language-names.ts';
import { Highlighted } from './highlighted.tsx';

interface CodeBlockProps {
  code: string;
  language: string;
  /** Whether the code is still being written. */
  isOpen?: boolean;
}

export function CodeBlock({ code, language, isOpen = false }: CodeBlockProps) {
  const name = /^[\w+#.-]*/.exec(language.trim())?.[0] ?? '';
  return (
    <div className="code-block">
      <div className="code-head quiet">
        <span>{name}</span>
        <CopyButton text={code} what="code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide code is scrolled with the keyboard */}
      <pre tabIndex={0}>
        <Highlighted code={code} language={languageOf(name)} isOpen={isOpen} />
      </pre>
    </div>
  );
}
