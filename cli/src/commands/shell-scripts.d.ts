declare module "*/completion.bash" {
  const script: string;
  export default script;
}
declare module "*/completion.zsh" {
  const script: string;
  export default script;
}
declare module "*/completion.fish" {
  const script: string;
  export default script;
}
