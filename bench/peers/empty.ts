/** The least program there can be. */
export {};
