"""Style sheet of the report: light and dark, wide and narrow screens; no external resources."""

STYLE = """
:root{color-scheme:light dark;--ink:#22303c;--soft:#5d6c7a;--line:#dfe5ea;--back:#f6f8fa;--card:#fff;
--accent:#2f8f83;--bad:#b3323f;--over:#f2f6f8}
@media (prefers-color-scheme:dark){:root{--ink:#dbe3ea;--soft:#9badbb;--line:#2c3a46;--back:#10171d;
--card:#18212a;--accent:#55bfb1;--bad:#ff8f98;--over:#1f2b36}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif}
main{max-width:80rem;margin:0 auto;padding:1.5rem 1rem 3rem}
a{color:var(--accent)}
header h1{margin:0;font-size:1.9rem;letter-spacing:-.01em}
header p{margin:.2rem 0 1.2rem;color:var(--soft)}
form{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;margin:0 0 1.2rem}
select,input,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);
border-radius:.4rem;padding:.2rem .5rem;max-width:100%}
h2{margin:0 0 .6rem;font-size:1.2rem}
h3{margin:1rem 0 .4rem;font-size:1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1.1rem 1.2rem;
margin:0 0 1.1rem}
section p{margin:.1rem 0 .7rem;color:var(--soft);max-width:48rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(13.5rem,1fr));gap:.8rem;background:none;border:0;
padding:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:.8rem 1rem;display:flex;
flex-direction:column;min-width:0}
.card b{font-size:1.55rem;line-height:1.2;font-variant-numeric:tabular-nums}
.card span{font-weight:600}
.card small{color:var(--soft)}
.bad b,.worse{color:var(--bad)}
img{width:100%;max-width:64rem;height:auto;display:block;margin:.2rem 0 .8rem;color-scheme:light dark}
.wide{overflow-x:auto;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{padding:.38rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}
td{overflow-wrap:anywhere;min-width:6rem}
td:first-child{min-width:9rem}
td:last-child:not(.n):not(:first-child){min-width:14rem}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;min-width:0}
th.n{white-space:normal}
td small{color:var(--soft)}
tbody tr:hover{background:var(--over)}
.none{color:var(--soft);font-style:italic}
section .good{color:var(--accent);font-weight:600}
@media (max-width:34rem){main{padding:1rem .6rem 2rem}section{padding:.9rem .8rem}
.cards{grid-template-columns:1fr 1fr}
.wide img{min-width:36rem}}
@media print{body{background:#fff}section{break-inside:avoid}}
"""
