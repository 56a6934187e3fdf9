/**
 * The limit of a start: the same with what a server of an embedded chain cannot do without, and
 * nothing done with it.
 */
import * as splToken from "@solana/spl-token";
import * as web3 from "@solana/web3.js";
import { LiteSvm } from "litesvm/dist/internal";
import "./hello.ts";

Object.assign(globalThis, { web3, splToken, svm: new LiteSvm() });
