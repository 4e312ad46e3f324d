import { Modal } from '../ui/modal.tsx';

/** An image as large as the window allows. */
export function Lightbox({ url, name, onClose }: { url: string; name: string; onClose: () => void }) {
  return (
    <Modal title={name} isOpen onClose={onClose} size="wide">
      <img className="lightbox-image" src={url} alt={name} />
      <p>
        <a href={url} download={name}>
          Download
        </a>
      </p>
    </Modal>
  );
}
