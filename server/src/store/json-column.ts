/** How both engines keep a value in a text column: as JSON without spaces. */
export const JSON_COLUMN = {
  dataType: () => "text",
  toDriver: (value: unknown) => JSON.stringify(value),
  fromDriver: (text: string) => JSON.parse(text),
};
