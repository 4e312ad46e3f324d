import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

/** A button that shows an icon only. `label` is its name for screen readers, and its tooltip. */
export function IconButton({
  icon: Icon,
  label,
  className = '',
  ...rest
}: { icon: LucideIcon; label: string } & ComponentProps<'button'>) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon aria-hidden />
    </button>
  );
}
