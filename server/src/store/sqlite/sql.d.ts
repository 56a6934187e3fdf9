/** SQL files are bundled as text: a compiled binary has no migrations folder. */
declare module "*.sql" {
  const text: string;
  export default text;
}
