import { render } from "preact";
import { App } from "./app.tsx";
import "./tokens.css";
import "./style.css";

const root = document.getElementById("root");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
