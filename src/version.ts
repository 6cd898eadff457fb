/** The package's version; a test keeps it the same as package.json's. */
export const version = "0.2.0";
