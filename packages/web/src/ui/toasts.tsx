import './toasts.css';
import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

export interface Notice {
  kind: 'plain' | 'good' | 'bad';
  title: string;
  description?: string;
  /** Buttons of the toast, which close it. */
  actions?: readonly ToastAction[];
  /** Toasts with the same key replace each other. */
  key?: string;
}

export interface ToastAction {
  label: string;
  onClick: () => void;
}

const TIME_MS = 8_000;

/** Shows toasts above the page. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={TIME_MS} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts, close } = Toast.useToastManager<{ actions: readonly ToastAction[] }>();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`toast ${toast.type ?? 'plain'}`}
      // Base UI hides urgent toasts from screen readers until they have the focus, although Tab leads into them.
      aria-hidden={undefined}
    >
      <Toast.Content>
        <Toast.Title className="toast-title" />
        <Toast.Description className="toast-description" />
        <div className="toast-actions">
          {toast.data?.actions.map(({ label, onClick }) => (
            <button
              key={label}
              type="button"
              className="button small"
              onClick={() => {
                close(toast.id);
                onClick();
              }}
            >
              {label}
            </button>
          ))}
        </div>
      </Toast.Content>
      <Toast.Close className="icon-button" aria-label="Close the notification" aria-hidden={undefined}>
        <X aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}

/** Returns a function that shows a toast. */
export function useNotify(): (notice: Notice) => void {
  const { add } = Toast.useToastManager();
  return ({ kind, title, description, actions = [], key }) => {
    add({
      ...(key !== undefined && { id: key }),
      title,
      description,
      type: kind,
      priority: kind === 'bad' ? 'high' : 'low',
      // A toast that offers something stays longer.
      timeout: actions.length > 0 ? 2 * TIME_MS : TIME_MS,
      data: { actions },
    });
  };
}
