// Dialogs, menus and tooltips stand beside the app in the body, where Streamlit tells no colour scheme: light-dark()
// was light in a dark dialog. The page as a whole gets the app's scheme, before what was just added is painted.
if (!shared.scheme) {
  shared.scheme = true;
  const app = document.querySelector("[data-testid=stApp]");
  const follow = () => {
    document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
  };
  const observer = new MutationObserver(follow);
  observer.observe(document.body, { childList: true });
  observer.observe(app, { attributeFilter: ["class"] });
  follow();
}
