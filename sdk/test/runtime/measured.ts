// Runs the command that it is given and prints how it went, as one line of JSON. Linux counts the
// memory of the parent of a process as the process's own; this one has little.
const child = Bun.spawn(process.argv.slice(2), { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
const [stdout, stderr, exitCode] = await Promise.all([
  new Response(child.stdout).text(),
  new Response(child.stderr).text(),
  child.exited,
]);
const maxRss = child.resourceUsage()?.maxRSS;
console.log(JSON.stringify({ stdout, stderr, exitCode, maxRss }));

export {};
