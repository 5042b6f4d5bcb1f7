// Prints the text of an open page, run by tsx: open.ts BROWSER ADDRESS
import { chromium } from 'playwright-core';
import { fromPlaywright } from 'vclean';

const main = async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(process.argv[3]);
    process.stdout.write((await (await fromPlaywright(page)).clean()).text);
  } finally {
    await browser.close();
  }
};

void main();
