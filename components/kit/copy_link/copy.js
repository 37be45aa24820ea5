// A button that copies the page's address, which contains the whole configuration. It is read when the button is
// pressed: it may be newer than this component's last message.
const LABEL = "Copy link",
  COPIED = 2000; // ms that it says so

class CopyLink {
  constructor(parent) {
    this.el = element("div", "copy-link");
    this.button = element("button", "", LABEL);
    this.button.type = "button";
    this.button.title = "Copies the address of this page: anyone who opens it sees the same settings and view.";
    this.said = element("span", "said");
    this.said.setAttribute("role", "status");
    this.field = element("input", "link");
    Object.assign(this.field, { type: "text", readOnly: true, hidden: true });
    this.field.setAttribute("aria-label", "Link to this page");
    this.el.append(this.button, this.said, this.field);
    this.button.addEventListener("click", () => this.copy());
    parent.append(this.el);
  }
  destroy() {
    clearTimeout(this.timer);
    this.el.remove();
  }
  show() {}
  async copy() {
    const link = window.location.href;
    try {
      if (!navigator.clipboard) throw new DOMException("The page is not served securely.", "NotAllowedError");
      await navigator.clipboard.writeText(link);
    } catch (error) {
      if (!(error instanceof DOMException || error instanceof TypeError)) throw error;
      this.offer(link);
      return;
    }
    this.field.hidden = true;
    this.tell("Copied");
  }
  // The clipboard is refused: the link to be copied by hand.
  offer(link) {
    this.reset();
    Object.assign(this.field, { value: link, hidden: false });
    this.field.focus();
    this.field.select();
    this.said.textContent = "Press Ctrl+C to copy";
  }
  // In the button's place, so that nothing moves; a screen reader is told by the status.
  tell(words) {
    clearTimeout(this.timer);
    this.button.textContent = this.said.textContent = words;
    this.said.classList.add("unseen");
    this.timer = setTimeout(() => this.reset(), COPIED);
  }
  // Take back what was told.
  reset() {
    clearTimeout(this.timer);
    this.button.textContent = LABEL;
    this.said.textContent = "";
    this.said.classList.remove("unseen");
  }
}

define("copy_link", CopyLink, "copy_link");
