// A place to drop files on: they become those of the input, which is told that they changed.
export function acceptDrops(place, input) {
  const isFile = (event) => event.dataTransfer.types.includes("Files");
  place.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    place.classList.add("over");
  });
  for (const end of ["dragleave", "drop"]) place.addEventListener(end, () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
