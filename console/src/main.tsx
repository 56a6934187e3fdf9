import { render } from "preact";
import { App } from "./app.tsx";
import "./tokens.css";
import "./page.css";
import "./parts.css";
import "./fields.css";
import "./screens.css";
import "./market.css";
import "./narrow.css";

const root = document.getElementById("root");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
