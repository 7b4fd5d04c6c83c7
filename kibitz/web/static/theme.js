// Light or dark before the first paint: as chosen here earlier, else as the system has it.
{
  const chosen = localStorage.getItem("kibitz-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
