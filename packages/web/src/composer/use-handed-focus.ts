import { type RefObject, useLayoutEffect } from 'react';

/** Whether a composer was removed while a person wrote in it. */
let isHanded = false;

/**
 * Gives the field the focus that another composer had when it was removed: the session of a first message replaces the
 * form of a new session. Without it, a person without a mouse would begin at the top of the page again.
 */
export function useHandedFocus(field: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (isHanded && document.activeElement === document.body) element?.focus();
    isHanded = false;
    return () => {
      isHanded = element !== null && document.activeElement === element;
    };
  }, [field]);
}
