// The preview of a statement shows the pictures that were chosen in its form and are not sent yet: the server is told their
// names, and marks where it would show one; the browser has the file.

export function enhanceChosenPictures(root) {
  const form = root.matches?.("form[data-typed]") ? root : root.querySelector("form[data-typed]");
  if (!form) return;
  const { pictures, statement } = form.elements;
  const preview = form.querySelector("#preview");
  const key = () => [...pictures.files].map((file) => `${file.name}/${file.size}/${file.lastModified}`).join("\n");
  let previewed = key();

  form.addEventListener("tally:files", () => {
    if (key() === previewed) return;
    previewed = key();
    statement.dispatchEvent(new Event("tally:preview"));
  });
  statement.addEventListener("htmx:configRequest", (event) => {
    event.detail.parameters.chosen = [...pictures.files].map((file) => file.name);
  });
  preview.addEventListener("htmx:afterSwap", () => {
    const files = new Map([...pictures.files].map((file) => [file.name.normalize(), file]));
    for (const picture of preview.querySelectorAll("img[data-chosen]")) {
      const file = files.get(decodeURIComponent(picture.dataset.chosen).normalize());
      if (file) show(picture, file);
    }
  });
}

function show(picture, file) {
  const reader = new FileReader(); // a data: address, which the page's content security policy allows for pictures
  reader.addEventListener("load", () => {
    picture.src = reader.result;
  });
  const isSvg = file.name.toLowerCase().endsWith(".svg"); // the one type that browsers do not tell from the content
  reader.readAsDataURL(isSvg ? new Blob([file], { type: "image/svg+xml" }) : file);
}
